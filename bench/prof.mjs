// usage: node prof.mjs dbUrl limit seconds [prof]
import { spawn } from 'node:child_process';
import { openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import autocannon from 'autocannon';
import { administration, openDatabase } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
const [,, url, limit, seconds, mode, which='read-gateway'] = process.argv;
const org='00000000-0000-4000-8001-000100000000';
const db=openDatabase({url, applicationName:'prof', maxConnections:1}); const key=generateApiKey();
await db.prisma.apiKey.deleteMany({where:{name:'prof'}});
await administration(db).createApiKey({organizationId:org,name:'prof',prefix:key.slice(0,13),hash:new Uint8Array(hashApiKey(key)),allowedOperations:['list','search','inbound','bulk'],limits:{list:1e9,search:1e9,inbound:1e9,bulk:1e9},expiresAt:null}, 'prof');
await db.close();
const dir='/var/tmp/speed/prof'; rmSync(dir,{recursive:true,force:true});
const log=openSync('/var/tmp/speed/gw.log','w');
const port=4599;
const args=[...(mode==='prof'?['--cpu-prof','--cpu-prof-dir='+dir,'--cpu-prof-interval=200']:[]), `/var/tmp/speed/main/apps/${which}/dist/main.js`];
const child=spawn(process.execPath,args,{env:{PATH:process.env.PATH,NODE_ENV:'production',HOST:'127.0.0.1',PORT:String(port),DATABASE_URL:url,CURSOR_SECRETS:'a secret of the benchmark',LOG_LEVEL:'info'},stdio:['ignore',log,log]});
for(;;){ try{ if((await fetch(`http://127.0.0.1:${port}/readyz`)).ok) break;}catch{} await new Promise(r=>setTimeout(r,50)); }
const cpu=(pid=child.pid)=>{const f=readFileSync(`/proc/${pid}/stat`,'utf8').split(') ')[1].split(' ');return [Number(f[11])*10,Number(f[12])*10];};
let n=0; const run=Math.floor(Math.random()*1e9);
const body=()=>{n++; const d=`c${run}x${n}`; return JSON.stringify({pipeline_id:'00000000-0000-4000-8002-000100000001',opportunity:{name:`Deal ${d}`,deal_size:1200},related_objects:{account_domain:`${d}.com`,primary_contact_email:`a@${d}.com`,additional_contact_emails:[`b@${d}.com`]}});};
const request=which==='read-gateway'?{path:`/v1/opportunities?pipeline_id=00000000-0000-4000-8002-000100000001&limit=${limit}`,headers:{'x-api-key':key, ...(mode==='br'?{'accept-encoding':'br'}:{})}}
 :{method:'POST',path:'/v1/inbound/opportunities',headers:{'x-api-key':key,'content-type':'application/json'}, setupRequest: (r)=>({...r, body: body()})};
const go=(s)=>autocannon({url:`http://127.0.0.1:${port}`,connections:16,duration:s,requests:[request]});
await go(2); const out=[];
for (let i=0;i<3;i++){ const a=cpu(); const r=await go(Number(seconds)); const b=cpu(); out.push({rps:r['2xx']/r.duration,user:(b[0]-a[0])/r['2xx'],sys:(b[1]-a[1])/r['2xx'],non:r.non2xx,err:r.errors}); }
out.sort((a,b)=>(a.user+a.sys)-(b.user+b.sys)); for (const o of out) console.log(`rps ${o.rps.toFixed(0)} user ${o.user.toFixed(3)} sys ${o.sys.toFixed(3)} total ${(o.user+o.sys).toFixed(3)} non2xx ${o.non} ${o.err}`);
child.kill('SIGTERM'); await new Promise(r=>child.once('exit',r));
if (mode==='prof'){ const p=JSON.parse(readFileSync(dir+'/'+readdirSync(dir)[0])); const self=new Map(); const byId=new Map(p.nodes.map(x=>[x.id,x])); const dt=p.timeDeltas; let total=0, idle=0;
 p.samples.forEach((id,i)=>{const f=byId.get(id).callFrame; const k=`${f.functionName||'(anon)'} ${f.url.replace(/.*node_modules\//,'').replace(/.*speed\/main\//,'')}:${f.lineNumber+1}`; if(f.functionName==='(idle)'){idle+=dt[i];return;} total+=dt[i]; self.set(k,(self.get(k)??0)+dt[i]);});
 for (const [k,v] of [...self].sort((a,b)=>b[1]-a[1]).slice(0,55)) console.log((100*v/total).toFixed(1).padStart(5),k); }
if (mode==='prof'){ const p=JSON.parse(readFileSync(dir+'/'+readdirSync(dir)[0])); const byId=new Map(p.nodes.map(x=>[x.id,x])); const parent=new Map(); for(const x of p.nodes) for(const c of x.children??[]) parent.set(c,x.id);
 // drop first 4 seconds
 const incl=new Map(), cat=new Map(); let t=0,total=0; p.samples.forEach((id,i)=>{ t+=p.timeDeltas[i]; if(t<5e6) return; const d=p.timeDeltas[i]; if(byId.get(id).callFrame.functionName==='(idle)') return; total+=d; const seen=new Set(); let first=null; for(let x=id;x!==undefined;x=parent.get(x)){ const f=byId.get(x).callFrame; const k=f.functionName+' '+f.url.replace(/.*node_modules\//,'').replace(/.*speed\/main\//,'')+':'+(f.lineNumber+1); if(!seen.has(k)){seen.add(k); incl.set(k,(incl.get(k)??0)+d);} if(!first && f.url && !f.url.startsWith('node:')) first=f.url.replace(/.*node_modules\//,'').replace(/.*speed\/main\//,''); } cat.set(first??'native/node',(cat.get(first??'native/node')??0)+d); });
 console.log('--- by file (self+node internals below it)'); for (const [k,v] of [...cat].sort((a,b)=>b[1]-a[1]).slice(0,40)) console.log((100*v/total).toFixed(1).padStart(5),k);
 console.log('--- inclusive'); for (const [k,v] of [...incl].sort((a,b)=>b[1]-a[1]).slice(0,75)) console.log((100*v/total).toFixed(1).padStart(5),k); }
